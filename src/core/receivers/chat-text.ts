const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

/**
 * Keeps names from notifying a channel, looking like a link or imitating our words. Slack and Mattermost read `<!channel>` and
 * links in angle brackets, and accept these three as entities; other markup of Slack, Mattermost, Teams and Discord has no
 * common escape, so it becomes full-width. An underscore within a word is not markup.
 */
export function chatText(text: string): string {
  return text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
    .replace(/(?<![\p{L}\p{N}])_|_(?![\p{L}\p{N}])/gu, '\uff3f')
    .replace(/:\/\//g, ':\uff0f\uff0f')
    .replace(/[@*~`[\]|\\#!]/g, (char) => String.fromCodePoint((char.codePointAt(0) ?? 0) + 0xfee0))
    .replace(/[&<>]/g, (char) => ENTITIES[char] ?? char)
}
