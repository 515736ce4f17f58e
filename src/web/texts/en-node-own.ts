/** What an operator notes down about a node, on the node's page and where it is set. */
export const nodeOwnTexts = {
  title: 'Notes',
  none: 'Nothing noted yet.',
  tags: 'Tags',
  change: 'Notes, units, limits',
  label: 'Notes',
  save: 'Save notes',
  hint: (chars: number, max: number): string =>
    `Your own words, for whoever looks at this node: ${chars} of at most ${max} characters. Kept in this browser, and in exported settings.`,
  tooLong: (max: number): string => `At most ${max} characters. Nothing was cut: shorten it and save again.`,
  toNode: 'Show this node',
  nodeTitle: 'This node',
  tagsHint: 'Units and limits of a tag hold for this node where none of its own are set.',
  tagCount: (count: number): string => (count === 1 ? '1 node has it.' : `${count} nodes have it.`),
  toTag: 'Show them',
} as const
