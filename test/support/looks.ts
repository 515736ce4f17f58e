/** Cache of jsdom's computed styles. It is a module of its own because the setup file runs again for each test file. */
export const looks = new Map<string, CSSStyleDeclaration>()
