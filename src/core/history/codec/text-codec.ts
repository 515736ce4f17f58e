import {
  readCount,
  readText,
  refuse,
  writeText,
  writeVarint,
  type ByteReader,
  type ByteWriter,
} from './byte-stream.ts'
import { placeOfText, TEXTS, type Series } from '#history/series.ts'
import { readRuns, runsOf } from './step-codec.ts'

/** A dictionary of the texts that occur, and for each column the runs of places in it. */
export function writeTexts(writer: ByteWriter, { columns, texts }: Series, start: number, end: number): void {
  const used = new Map<number, number>([[0, 0]])
  const list: string[] = []
  const placed = TEXTS.map((name) => {
    const runs = runsOf(columns[name], start, end)
    for (let at = 0; at < runs.length; at += 2) {
      const place = runs[at] ?? 0
      let found = used.get(place)
      if (found === undefined) used.set(place, (found = list.push(texts.list[place] ?? '')))
      runs[at] = found
    }
    return runs
  })
  writeVarint(writer, list.length)
  for (const text of list) writeText(writer, text)
  for (const runs of placed) for (const number of runs) writeVarint(writer, number)
}

export function readTexts(reader: ByteReader, { columns, texts }: Series, count: number): void {
  const size = readCount(reader)
  for (let place = 1; place <= size; place++) if (placeOfText(texts, readText(reader)) !== place) refuse()
  for (const name of TEXTS) readRuns(reader, count, size + 1, columns[name])
}
