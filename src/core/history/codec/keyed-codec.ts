import { readCount, refuse, writeVarint, type ByteReader, type ByteWriter } from './byte-stream.ts'
import { readNumbers, writeNumbers } from './column-codec.ts'
import type { TimeBy } from '#history/rollup.ts'

export function writeKeyed<K>(
  writer: ByteWriter,
  by: TimeBy<K>,
  writeKey: (writer: ByteWriter, key: K) => void,
): void {
  writeVarint(writer, by.size)
  for (const [key, column] of by) {
    writeKey(writer, key)
    writeNumbers(writer, column, 0, column.length)
  }
}

export function readKeyed<K>(
  reader: ByteReader,
  rows: number,
  by: TimeBy<K>,
  readKey: (reader: ByteReader) => K,
): void {
  const size = readCount(reader)
  for (let place = 0; place < size; place++) {
    const key = readKey(reader)
    const column: number[] = []
    readNumbers(reader, rows, column)
    if (by.has(key)) refuse()
    by.set(key, column)
  }
}
