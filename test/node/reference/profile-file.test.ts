import { describe, expect, it } from 'vitest'
import { readProfile } from '#reference/reference-options.ts'
import { PROFILES } from '#signing/presets.ts'
import { temporaryFile } from '#test/support/temporary-file.ts'

const DOCUMENT = { message: { kind: 'template', template: '{ts.s}' }, headers: { A: '{sig.hex}{ts.s}' } }

describe('a profile of the service', () => {
  it.each(Object.keys(PROFILES))('is a preset by its id: %s', (id) => {
    expect(readProfile(id)).toEqual({ ok: true, value: { name: id, profile: PROFILES[id] } })
  })

  it('is a document in a file', () => {
    expect(readProfile(temporaryFile(JSON.stringify(DOCUMENT)))).toEqual({
      ok: true,
      value: { name: 'custom', profile: { v: 1, ...DOCUMENT } },
    })
  })

  it('is not what is no JSON, not there, or a name that every object has', () => {
    const error =
      'takes one of bearer-v1, bearer-window, jwt-eddsa, rfc9421, wallet-timestamp, timestamp-only, bearer-node-id, or a file with a profile as JSON.'
    for (const name of [temporaryFile('{'), '/nowhere', '/', '', 'toString', 'constructor'])
      expect(readProfile(name), name).toEqual({ ok: false, error })
  })

  it('that is wrong is told with the place where it is, if it has one', () => {
    const wrong = (document: object): string => {
      const file = temporaryFile(JSON.stringify(document))
      const read = readProfile(file)
      return read.ok ? '' : read.error.replace(file, 'FILE')
    }
    expect(wrong({ ...DOCUMENT, reuseSeconds: 0 })).toBe('FILE: reuseSeconds: must be at least 1, not 0.')
    expect(wrong({ ...DOCUMENT, headers: { A: '{what}' } })).toBe(
      'FILE: header A: {what} is not a placeholder here.',
    )
  })
})
