import { useEffect, useRef } from 'react'

type CheckBoxProps = {
  readonly label: string
  /** The label is only read out, where what stands around the box says it. */
  readonly hideLabel?: boolean
  /** Undefined: some of what it stands for. */
  readonly checked: boolean | undefined
  /** In a row of a table: no tab stop of its own. */
  readonly inRow?: boolean
  /** `isRange`: pressed with Shift. */
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
