export { canVibrate } from '#platform/vibration.ts'
