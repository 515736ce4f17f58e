import { expect, it } from 'vitest'
import { createRuleFailures } from '#alarms/rule-failures.ts'

const broken = (why: unknown) => (): never => {
  throw why
}

it('a rule that throws says what it is told to, is named with why, and is not once it works again', () => {
  const failures = createRuleFailures()
  expect(failures.text()).toBeUndefined()
  expect(failures.held('old node-1', 'held', broken(new Error('no number')))).toBe('held')
  expect(failures.text()).toBe('old: no number')
  expect(failures.held('old node-1', 'held', () => 'good')).toBe('good')
  expect(failures.text()).toBeUndefined()
  failures.held('old node-1', 'held', broken('a word'))
  expect(failures.text()).toBe('old: a word')
})

it('each rule is named once, three of them, and then how many more', () => {
  const failures = createRuleFailures()
  const fail = (what: string): string => failures.held(what, '', broken(new Error(`${what} is broken`)))
  fail('a node-1')
  fail('a node-2')
  fail('b node-1')
  expect(failures.text()).toBe('a: a node-2 is broken; b: b node-1 is broken')
  fail('c node-1')
  expect(failures.text()).toBe('a: a node-2 is broken; b: b node-1 is broken; c: c node-1 is broken')
  fail('d node-1')
  fail('e node-1')
  expect(failures.text()).toMatch(/c: c node-1 is broken; \+ 2$/)
})

it('what is not evaluated any more has not failed', () => {
  const failures = createRuleFailures()
  for (const what of ['a node-1', 'b node-1']) failures.held(what, '', broken('broken'))
  failures.forget((what) => what.startsWith('a'))
  expect(failures.text()).toBe('b: broken')
})
