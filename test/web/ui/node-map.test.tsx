import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { NodeMap } from '#ui/node-map.tsx'

const GROUPS = [
  { id: 'eu', title: 'eu', count: '4', cells: [undefined, 'critical', undefined, undefined] },
  { id: 'us', title: 'us', count: '2', cells: ['warning', undefined] },
] as const

const current = () => screen.getByRole('option')

describe('the node map', () => {
  const show = () => {
    const onOpen = vi.fn<(place: number) => void>()
    const { container } = render(
      <NodeMap
        groups={GROUPS}
        width={60}
        height={58}
        label="Map"
        nameOf={(place) => `node ${place}`}
        onOpen={onOpen}
        hint="hint"
      />,
    )
    return { onOpen, map: container.querySelector('svg') ?? document.body }
  }

  it('opens the cell under the pointer, but nothing above the cells', () => {
    const { onOpen, map } = show()
    for (const offsetY of [2, 20]) {
      const click = new MouseEvent('click', { bubbles: true })
      Object.defineProperties(click, { offsetX: { value: 2 }, offsetY: { value: offsetY } })
      fireEvent(map, click)
    }
    expect(onOpen.mock.calls).toEqual([[0]])
  })

  it('is one tab stop, whose named cell moves with arrows, Home and End and opens with Enter', async () => {
    const { onOpen } = show()
    const map = screen.getByRole('listbox', { name: 'Map' })
    await userEvent.tab()
    expect(document.activeElement).toBe(map)
    expect(current().textContent).toBe('node 0')
    expect(map.getAttribute('aria-activedescendant')).toBe(current().id)
    await userEvent.keyboard('{ArrowDown}')
    expect(current().textContent).toBe('node 1')
    await userEvent.keyboard('{ArrowUp}{ArrowUp}')
    expect(current().textContent).toBe('node 0')
    await userEvent.keyboard('{ArrowRight}')
    expect(current().textContent).not.toBe('node 0')
    await userEvent.keyboard('{End}')
    expect(current().textContent).toBe('node 5')
    expect(current().getAttribute('aria-posinset')).toBe('6')
    expect(current().getAttribute('aria-setsize')).toBe('6')
    await userEvent.keyboard('{Enter}')
    expect(onOpen).toHaveBeenCalledWith(5)
    await userEvent.keyboard('{Home}')
    expect(current().textContent).toBe('node 0')
  })
})
