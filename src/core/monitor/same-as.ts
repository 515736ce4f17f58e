import { saySame, type AnswerWords } from '#protocol/answer-words.ts'
import type { ProbeAnswer } from '#fleet/diagnosis.ts'

/** Whether a probe was answered as the signed request was; undefined where there is nothing to compare. */
export const sameAs = (
  signed: AnswerWords | undefined,
  answer: ProbeAnswer | undefined,
): boolean | undefined =>
  signed === undefined || answer?.kind !== 'answered' ? undefined : saySame(signed, answer.words)
