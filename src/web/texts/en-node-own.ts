/** What an operator notes down about a node, on the node's page and where it is set. */
export const nodeOwnTexts = {
  title: 'Notes',
  none: 'No notes yet',
  tags: 'Tags',
  change: 'Notes, units, limits',
  label: 'Notes',
  save: 'Save notes',
  hint: (chars: number, max: number): string =>
    `${chars} of ${max} characters. Stored in this browser and in exported settings.`,
  fixed: 'From the server configuration; change it there.',
  tooLong: (max: number): string => `At most ${max} characters.`,
  toNode: 'Open node',
  nodeTitle: 'This node',
  tagsHint: 'Units and limits of a tag apply where the node has none of its own.',
  tagCount: (count: number): string => (count === 1 ? '1 node.' : `${count} nodes.`),
  toTag: 'Show nodes',
  rename: 'Rename node',
  editTags: 'Edit tags',
  setLimit: (metric: string): string => `Set limit: ${metric}`,
} as const
