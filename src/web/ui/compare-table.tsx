import type { ReactNode } from 'react'
import type { Level } from './level.ts'

type CompareTableProps = {
  readonly caption: string
  readonly corner: string
  readonly columns: readonly { readonly id: string; readonly heading: ReactNode }[]
  readonly rows: readonly CompareRow[]
}

type CompareRow = {
  readonly id: string
  readonly heading: string
  readonly values: readonly ReactNode[]
  /** Set if the values contradict each other. */
  readonly level?: Level | undefined
  readonly note?: ReactNode
}

export const CompareTable = ({ caption, corner, columns, rows }: CompareTableProps) => (
  <table className="compare-table text-12">
    <caption className="visually-hidden">{caption}</caption>
    <thead>
      <tr>
        <th scope="col">
          <span className="visually-hidden">{corner}</span>
        </th>
        {columns.map(({ id, heading }) => (
          <th key={id} scope="col">
            {heading}
          </th>
        ))}
      </tr>
    </thead>
    {rows.map(({ id, heading, values, level, note }) => (
      <tbody key={id} className={level}>
        <tr>
          <th scope="row">{heading}</th>
          {columns.map((column, place) => (
            <td key={column.id}>{values[place]}</td>
          ))}
        </tr>
        {note !== undefined && (
          <tr>
            <td colSpan={columns.length + 1}>{note}</td>
          </tr>
        )}
      </tbody>
    ))}
  </table>
)
