import * as v from 'valibot'
import { parseNodeId } from '#record/node-id.ts'
import { parseBaseUrl } from '#record/service.ts'
import { parseTag } from './tag.ts'

/** Whole ms within limits, both included. */
export const wholeMs = (min: number, max: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max))

export const Label = v.pipe(v.string(), v.trim(), v.maxLength(60))

export const BaseUrl = v.pipe(
  v.string(),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const parsed = parseBaseUrl(dataset.value)
    if (parsed.ok) return parsed.value
    addIssue({
      message:
        'is not the base URL of a service: give http(s)://host[:port][/path], without user, query or #',
    })
    return NEVER
  }),
)

export const NodeIdText = v.pipe(
  v.string(),
  v.trim(),
  v.check((text) => parseNodeId(text).ok, 'is not a node id: 0x and hex digits'),
)

export const Tag = v.pipe(
  v.string(),
  v.rawTransform<string, string>(({ dataset, addIssue, NEVER }) => {
    const tag = parseTag(dataset.value)
    if (tag !== undefined) return tag
    addIssue({ message: 'is not a tag: a letter first, then no space, comma, semicolon, quote or #' })
    return NEVER
  }),
)
