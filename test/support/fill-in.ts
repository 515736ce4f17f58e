import { act } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

/** Writes into an empty field at once, as a paste does: for each key the whole page would be drawn. */
export async function fillIn(field: HTMLElement, text: string): Promise<void> {
  act(() => field.focus())
  await userEvent.paste(text)
}
