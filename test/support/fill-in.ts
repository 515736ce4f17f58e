import { act } from '@testing-library/react'
import userEvent from '@testing-library/user-event'

/** Fills an empty field with one paste, because typing renders the page again for each key. */
export async function fillIn(field: HTMLElement, text: string): Promise<void> {
  act(() => field.focus())
  await userEvent.paste(text)
}
