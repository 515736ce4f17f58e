import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const NODE_SERVER: FolderReasons = {}
