import { ALARM_SEVERITIES } from '#alarms/alarm.ts'
import { headText, linesOf, type MetricHead, type Point } from '#node/metrics-text.ts'
import { whereOf } from '#settings/receiver.ts'
import type { ServedWatch } from '#server/answer-watch.ts'

/** A metric of the watch itself, as Prometheus reads it. */
type WatchFigure = MetricHead & { readonly points: () => readonly Point[] }

/** The watch's metrics about itself. */
export function watchFigures(
  watch: Pick<ServedWatch, 'view' | 'evaluatedWallMs' | 'deliveries'>,
): readonly WatchFigure[] {
  const figure = (name: string, help: string, points: WatchFigure['points']): WatchFigure => ({
    name: `immune_node_watch_${name}`,
    help,
    type: 'gauge',
    points,
  })
  const ofReceivers = (
    name: string,
    help: string,
    value: (state: ReturnType<ServedWatch['deliveries']>[number]) => number,
  ): WatchFigure =>
    figure(name, help, () =>
      watch.deliveries().map((state) => {
        const { kind, name: given } = state.receiver
        const receiver = given ?? whereOf(state.receiver)
        return { labels: { id: state.id, kind, receiver }, value: value(state) }
      }),
    )
  return [
    figure('alarms', 'Active alarms, by severity.', () => {
      const counts = watch.view()?.counts
      return counts === undefined
        ? []
        : ALARM_SEVERITIES.map((severity) => ({ labels: { severity }, value: counts[severity] }))
    }),
    figure('evaluated_timestamp_seconds', 'When alarms were last evaluated.', () => {
      const atMs = watch.evaluatedWallMs()
      return atMs === undefined ? [] : [{ labels: {}, value: atMs / 1_000 }]
    }),
    ofReceivers(
      'messages_waiting',
      'Messages that the receiver has not accepted yet.',
      ({ waiting }) => waiting,
    ),
    ofReceivers(
      'messages_lost',
      'Messages dropped or rejected since the start.',
      ({ lost, refused }) => lost + refused,
    ),
    ofReceivers('receiver_failing', '1 if the last attempt failed, otherwise 0.', ({ failure }) =>
      failure === undefined ? 0 : 1,
    ),
  ]
}

/** In the text format of Prometheus. */
export const figuresText = (figures: readonly WatchFigure[]): string =>
  figures.map((figure) => headText(figure) + linesOf(figure.name, figure.points())).join('')
