// @vitest-environment jsdom
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { clearKept, dropUndo, keepCopy, keptCopies, noteUndo, undoSteps } from '#platform/kept-settings.ts'

beforeEach(() => {
  vi.restoreAllMocks()
  clearKept()
  localStorage.clear()
})

const texts = (list: readonly { readonly text: string }[]) => list.map(({ text }) => text)

describe('document copies', () => {
  it('are limited to the newest three, each once', () => {
    for (const text of ['a', 'b', 'b', 'a', 'c', 'd']) keepCopy(text)
    expect(texts(keptCopies())).toEqual(['b', 'c', 'd'])
    expect(new Set(keptCopies().map(({ atMs }) => atMs)).size).toBe(3)
  })

  it('stay in this tab when storage is full', () => {
    vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
      throw new DOMException('full', 'QuotaExceededError')
    })
    keepCopy('a')
    keepCopy('b')
    expect(texts(keptCopies())).toEqual(['a', 'b'])
    clearKept()
    expect(keptCopies()).toEqual([])
  })

  it.each(['{', '7', '[1,{"atMs":1}]', '{"a":1}'])('are empty if the stored list is damaged: %j', (text) => {
    localStorage.setItem('immune-settings-copies', text)
    expect(keptCopies()).toEqual([])
  })
})

describe('undo steps', () => {
  it('are limited to the last twenty, and dropping one drops all later ones', () => {
    for (let step = 0; step < 25; step++) noteUndo({ step })
    const steps = undoSteps()
    expect(texts(steps)).toEqual(Array.from({ length: 20 }, (_, place) => `{"step":${place + 5}}`))
    dropUndo(steps[3]?.atMs ?? 0)
    expect(texts(undoSteps())).toEqual(['{"step":5}', '{"step":6}', '{"step":7}'])
  })

  it('that are too large for storage stay in this tab, in order', () => {
    const large = 'x'.repeat(600_000)
    noteUndo({ large, step: 1 })
    noteUndo({ large, step: 2 })
    noteUndo({ step: 3 })
    expect(undoSteps().map(({ text }) => text.slice(-2))).toEqual(['1}', '2}', '3}'])
    expect(localStorage.getItem('immune-settings-undo')?.length).toBeLessThan(1_000_000)
    dropUndo(0)
    expect(undoSteps()).toEqual([])
  })
})
