import { beforeEach, expect, it, vi } from 'vitest'
import { gatherFile, saveFile } from '#platform/save-file.ts'

beforeEach(() => {
  vi.useFakeTimers()
  return () => vi.useRealTimers()
})

it('a file downloads under its name, and its data stays available for a minute', () => {
  const [made, freed] = [vi.fn<(blob: Blob) => string>(() => 'blob:x'), vi.fn<(url: string) => void>()]
  Object.assign(URL, { createObjectURL: made, revokeObjectURL: freed })
  const clicked = vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined)
  saveFile('nodes.csv', 'a,b', 'text/csv')
  expect(clicked.mock.contexts[0]).toMatchObject({ download: 'nodes.csv', href: 'blob:x' })
  expect(made.mock.calls[0]?.[0]).toMatchObject({ type: 'text/csv', size: 3 })
  vi.advanceTimersByTime(30_000)
  expect(freed).not.toHaveBeenCalled()
  vi.advanceTimersByTime(30_000)
  expect(freed).toHaveBeenCalledExactlyOnceWith('blob:x')
})

it('a gathered file is complete and consists of Blobs, which free memory', () => {
  const file = gatherFile()
  for (const letter of 'abc') file.add(letter.repeat(3_000_000))
  file.add('d')
  const sizes = file.parts().map((part) => (part instanceof Blob ? part.size : 0))
  expect(sizes).toEqual([6_000_000, 3_000_001])
})
