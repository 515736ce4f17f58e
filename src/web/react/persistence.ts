export { askToPersist, isPersistent, keepsSettings } from '#platform/persistence.ts'
