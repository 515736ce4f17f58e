import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it, vi } from 'vitest'
import { SearchSelect } from '#ui/search-select.tsx'

const optionsOf = (count: number) =>
  Array.from({ length: count }, (_, at) => ({ value: `${at}`, label: `node vela-${at}` }))

it('searches a list of more than 20 options, and leaves a shorter one to the platform', async () => {
  const onChange = vi.fn<(value: string) => void>()
  const shown = (count: number) => (
    <SearchSelect label="Scope" noMatch="No match" value="3" options={optionsOf(count)} onChange={onChange} />
  )
  const { rerender } = render(shown(20))
  expect(screen.getByLabelText('Scope').tagName).toBe('SELECT')
  rerender(shown(21))
  const field = screen.getByRole('combobox', { name: 'Scope' })
  expect(field).toHaveProperty('value', 'node vela-3')
  await userEvent.type(field, 'VELA-2')
  expect(screen.getAllByRole('option').map(({ textContent }) => textContent)).toEqual([
    'node vela-2',
    'node vela-20',
  ])
  await userEvent.keyboard('{ArrowDown}{Enter}')
  expect(onChange).toHaveBeenCalledExactlyOnceWith('20')
  await userEvent.clear(field)
  await userEvent.type(field, 'lyra')
  screen.getByText('No match')
  await userEvent.keyboard('{Escape}')
  expect(field).toHaveProperty('value', 'node vela-3')
})
