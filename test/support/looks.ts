/** What jsdom computed for elements, for all files of a process: a setup file is run anew for each. */
export const looks = new Map<string, CSSStyleDeclaration>()
