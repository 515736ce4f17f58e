import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_SETTINGS: FolderReasons = {}
