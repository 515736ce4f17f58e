import { useEffect, useRef } from 'react'

type CheckBoxProps = {
  readonly label: string
  /** The label is only read out, where what stands around the box says it. */
  readonly hideLabel?: boolean
  /** Undefined: some of what it stands for. */
  readonly checked: boolean | undefined
  readonly onChange: (checked: boolean) => void
}

export function CheckBox({ label, hideLabel = false, checked, onChange }: CheckBoxProps) {
  const ref = useRef<HTMLInputElement>(null)
  useEffect(() => {
    if (ref.current !== null) ref.current.indeterminate = checked === undefined
  }, [checked])
  return (
    <label className="check-box">
      <input
        ref={ref}
        type="checkbox"
        checked={checked === true}
        onChange={(event) => onChange(event.target.checked)}
      />
      <span className={hideLabel ? 'sr' : undefined}>{label}</span>
    </label>
  )
}
