import type { FolderReasons } from '#test/runner/mutation-reasons.ts'

export const CORE_SETTINGS: FolderReasons = {
  'document-problem.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a number that is out of its range stands somewhere in a document',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'a text is an issue of no type, so it is not found',
      changes: [['[]', '["Stryker was here"]']],
    },
  ],
  'effective-settings.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: rules of tags are all from a tag',
      changes: [
        ["from.kind === 'tag'", 'true'],
        ["''", '"Stryker was here!"'],
      ],
    },
    {
      kind: 'equal',
      reason: 'without rules of tags none is found either way',
      changes: [['rules.tags.length === 0', 'false']],
    },
  ],
  'effective.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: no service has the name undefined',
      changes: [['service === undefined', 'false']],
    },
    {
      kind: 'equal',
      reason: 'stands for the node of the signing key, and no id reads like it',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'form-draft.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a name that a form has stands for a field',
      changes: [
        ['field?.show', 'field.show'],
        ['field === undefined', 'false'],
        ['fields[field]?.refusedAs', 'fields[field].refusedAs'],
        ['fields[name]?.at', 'fields[name].at'],
        ['at !== undefined', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'no form has a field of the name undefined',
      changes: [['field !== undefined', 'true']],
    },
    {
      kind: 'equal',
      reason: 'empty words are left out',
      changes: [['/\\s+/', '/\\s/']],
    },
    {
      kind: 'equal',
      reason: 'no field stands behind a point with nothing before it',
      changes: [
        ["at !== undefined && path !== ''", 'true'],
        ["at !== undefined && path !== ''", "at !== undefined || path !== ''"],
        ["path !== ''", 'true'],
        ["''", '"Stryker was here!"'],
      ],
    },
  ],
  'settings-documents.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a service that is read as one has an address',
      changes: [["typeof baseUrl !== 'string'", 'false']],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: of the path of a problem only the names are looked at',
      changes: [
        ["'object'", '""'],
        ["'value'", '""'],
        ['{ ...input }', '{}'],
      ],
    },
  ],
  'settings-changes.ts': [
    {
      kind: 'equal',
      reason: 'stands for nothing in both documents alike, and neither ids nor addresses read like it',
      changes: [["''", '"Stryker was here!"']],
    },
  ],
  'node-list.ts': [
    {
      kind: 'equal',
      reason: 'what is split by another separator names no columns, and is split by its own then',
      changes: [['/^[^,;\\t"]*([,;\\t])/', '/[^,;\\t"]*([,;\\t])/']],
    },
    {
      kind: 'equal',
      reason: 'an id holds no separator: the first one behind it is that of its line',
      changes: [
        ['id > 0', 'true'],
        ['id > 0', 'id >= 0'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'for the compiler: what JSON.parse throws is an error, and a tag that was found has its text',
      changes: [["''", '"Stryker was here!"']],
    },
    {
      kind: 'equal',
      reason: 'what was found is looked for behind the first place, where nothing stands either way',
      changes: [['[]', '["Stryker was here"]']],
    },
    {
      kind: 'equal',
      reason: 'the first bracket outside of any other is that of the list, wherever it is looked for from',
      changes: [["'['", '""']],
    },
    {
      kind: 'equal',
      reason: 'only the first piece of an entry counts',
      changes: [
        [
          '/"(?:[^"\\\\]|\\\\.)*"|[[\\]{}:,\\n]|[^\\s"[\\]{}:,]+/g',
          '/"(?:[^"\\\\]|\\\\.)*"|[[\\]{}:,\\n]|[^\\s"[\\]{}:,]/g',
        ],
      ],
    },
    {
      kind: 'equal',
      reason: 'lines behind those of the last entry are those of none',
      changes: [
        ["token !== ']'", 'true'],
        ["']'", '""'],
        ['depth === 0', 'false'],
      ],
    },
    {
      kind: 'equal',
      reason: 'outside of all brackets whatever is none was passed over by then',
      changes: [["token === '['", 'true']],
    },
    {
      kind: 'equal',
      reason: 'a number or a truth has no members, and a text, a column or a part that is empty is none',
      changes: [
        ["typeof entry !== 'object'", 'false'],
        ['notes !== undefined', 'true'],
        ['/[\\s,;|]+/', '/[\\s,;|]/'],
      ],
    },
  ],
  'rule-parts.ts': [
    {
      kind: 'equal',
      reason: 'what is no number is in order',
      changes: [
        ["'participationBelow'", '""'],
        ["'participationAbove'", '""'],
        ["'heartbeatWarningMs'", '""'],
        ["'heartbeatCriticalMs'", '""'],
      ],
    },
  ],
  'salvage-settings.ts': [
    {
      kind: 'unseen',
      reason: 'for the compiler: a document that is an object has issues only within it',
      changes: [
        ["''", '"Stryker was here!"'],
        ['[]', '["Stryker was here"]'],
        ['key === undefined', 'false'],
      ],
    },
    {
      kind: 'unseen',
      reason: 'nothing that JSON can say takes a hundred rounds',
      changes: [
        ['round < ROUNDS_MAX', 'round <= ROUNDS_MAX'],
        ['round++', 'round--'],
        [
          '{ ...NOTHING, isNewer, dropped: dropped.slice(0, DROPPED_LISTED_MAX), droppedCount: dropped.length, }',
          '{}',
        ],
        ['dropped.slice(0, DROPPED_LISTED_MAX)', 'dropped'],
      ],
    },
    {
      kind: 'equal',
      reason:
        'members of objects have names, entries of lists have places, and no issue is about a part of null',
      changes: [
        ["typeof key === 'string'", 'true'],
        ["typeof key === 'string' || typeof key === 'number'", 'true'],
        ['value !== null', 'true'],
      ],
    },
    {
      kind: 'equal',
      reason: 'gives undefined either way',
      changes: [['{ return undefined // no JSON, or nested too deeply to be read }', '{}']],
    },
    {
      kind: 'equal',
      reason: 'a list that keeps all that it has is the same list again',
      changes: [
        ['kept.length < value.length', 'true'],
        ['kept.length < value.length', 'kept.length <= value.length'],
      ],
    },
  ],
}
