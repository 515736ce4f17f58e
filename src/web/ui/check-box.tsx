import { useEffect, useRef } from 'react'

type CheckBoxProps = {
  readonly label: string
  /** Shows the label to screen readers only, where the visible context already names the box. */
  readonly hideLabel?: boolean
  /** Undefined: indeterminate. */
  readonly checked: boolean | undefined
  /** In a table row: not a tab stop. */
  readonly inRow?: boolean
  /** `isRange`: Shift was pressed. */
  readonly onChange: (checked: boolean, isRange: boolean) => void
}

export function CheckBox({ label, hideLabel = false, checked, inRow = false, onChange }: CheckBoxProps) {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (ref.current !== null) ref.current.indeterminate = checked === undefined
  }, [checked])
  return (
    <label className="check-box">
      <input
        ref={ref}
        type="checkbox"
        aria-label={hideLabel ? label : undefined}
        checked={checked === true}
        tabIndex={inRow ? -1 : undefined}
        onChange={({ target, nativeEvent }) =>
          onChange(target.checked, nativeEvent instanceof MouseEvent && nativeEvent.shiftKey)
        }
      />
      {!hideLabel && <span>{label}</span>}
    </label>
  )
}
