export { gatherFile, saveFile } from '#platform/save-file.ts'
