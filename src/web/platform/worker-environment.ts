import { secretBytes, type Bytes } from '#base/bytes.ts'

export const wallMs = (): number => Date.now()

export const randomBytes = (length: number): Bytes => crypto.getRandomValues(secretBytes(length))
