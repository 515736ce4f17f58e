export { keepCopy, keptCopies, removeCopy, undoSteps } from '#platform/kept-settings.ts'
