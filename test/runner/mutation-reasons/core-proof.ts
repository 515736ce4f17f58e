import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_PROOF: FolderReasons = {
  'proof-profile.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: what matched has both groups, and the first is one of the two words',
      changes: [
        ['[]', '["Stryker was here"]'],
        [
          "name !== undefined && (form === 'raw' || form === 'text')",
          "name !== undefined || form === 'raw' || form === 'text'",
        ],
        ['name !== undefined', 'true'],
        ["form === 'raw' || form === 'text'", 'true'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: a profile with another placeholder was refused before',
      changes: [
        ['memberOf(name)?.name', 'memberOf(name).name'],
        ['memberOf(placeholder)?.name', 'memberOf(placeholder).name'],
      ],
    },
  ],
  'proof-statement.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: the template of a profile can be split, and a text in it has a value',
      changes: [
        ['[]', '["Stryker was here"]'],
        ["part.kind === 'placeholder'", 'true'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is longer, or nearly as long, is no key and no signature either, by its bytes',
      changes: [
        ['value.length <= TEXT_CHARS_MAX', 'true'],
        ['value.length <= TEXT_CHARS_MAX', 'value.length < TEXT_CHARS_MAX'],
      ],
    },
    {
      kind: 'equal',
      reason: 'what is less than nought is squared before it counts: the exponent is even',
      changes: [['ySquared - 1n + P', 'ySquared - 1n - P']],
    },
    {
      kind: 'equal',
      reason: 'hex of just so many characters was read before',
      changes: [['value.length > TEXT_CHARS_MAX', 'value.length >= TEXT_CHARS_MAX']],
    },
  ],
}
