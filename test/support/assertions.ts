import { Visitor, parseSync } from 'vite'

/** The branded types. Only their constructors may assert a type. */
const BRANDS = ['ServiceId', 'NodeKey']

/** Every type assertion in a file: `as`, `<T>x` and `x!`. */
export function assertionsIn(file: string, code: string): readonly string[] {
  const found: string[] = []
  const report = (start: number, end: number): void => {
    const line = code.slice(0, start).split('\n').length
    found.push(`${file}:${line}: ${code.slice(start, end).replaceAll(/\s+/g, ' ').slice(0, 100)}`)
  }
  new Visitor({
    TSAsExpression: ({ start, end, typeAnnotation }) => {
      const type = code.slice(typeAnnotation.start, typeAnnotation.end)
      if (type !== 'const' && !BRANDS.includes(type)) report(start, end)
    },
    TSTypeAssertion: ({ start, end }) => report(start, end),
    TSNonNullExpression: ({ start, end }) => report(start, end),
  }).visit(parseSync(file, code).program)
  return found
}
