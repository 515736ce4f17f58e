/** Styles that jsdom computed. They are here because a setup file runs again for each test file of a process. */
export const looks = new Map<string, CSSStyleDeclaration>()
