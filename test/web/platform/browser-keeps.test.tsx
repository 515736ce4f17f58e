import { beforeEach, expect, it, vi } from 'vitest'
import { clearChoices, noteChoice, recentChoices } from '#platform/recent-choices.ts'
import { askToPersist, isPersistent, keepsSettings } from '#platform/storage-persistence.ts'
import { canVibrate, vibrate } from '#platform/vibration.ts'

beforeEach(() => localStorage.clear())

it('the recent choices are the newest eight, each once, without texts that are too long', () => {
  for (let place = 0; place < 10; place++) noteChoice(`page ${place}`)
  noteChoice('page 5')
  noteChoice('x'.repeat(1_001))
  expect(recentChoices()).toEqual([5, 9, 8, 7, 6, 4, 3, 2].map((place) => `page ${place}`))
  clearChoices()
  expect(recentChoices()).toEqual([])
})

it('the storage check leaves nothing behind, and fails when storage is full', () => {
  expect([keepsSettings(), localStorage.length]).toEqual([true, 0])
  const full = vi.spyOn(Storage.prototype, 'setItem').mockImplementation(() => {
    throw new DOMException('full', 'QuotaExceededError')
  })
  expect(keepsSettings()).toBe(false)
  full.mockRestore()
})

it.each([true, false, undefined])('storage persistence is reported as %s', async (promise) => {
  const said = async () => promise ?? Promise.reject(new TypeError('no secure context'))
  vi.stubGlobal('navigator', { storage: { persisted: said, persist: said } })
  expect([await isPersistent(), await askToPersist()]).toEqual([promise, promise])
})

it.each([
  [true, 1],
  [false, 0],
])('a page vibrates only after user activation (%s)', (hasBeenActive, times) => {
  const shake = vi.fn<(pattern: number[]) => boolean>(() => true)
  vi.stubGlobal('navigator', { vibrate: shake, userActivation: { hasBeenActive } })
  vibrate([200, 100])
  expect([canVibrate(), shake.mock.calls.length]).toEqual([true, times])
  vi.stubGlobal('navigator', {})
  expect(canVibrate()).toBe(false)
})
