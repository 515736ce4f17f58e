const HOUR_S = 3_600

type Collected = {
  readonly service: string
  readonly node: string
  /** Start in Unix seconds; `lengthS` is the duration. */
  readonly fromS: number
  readonly lengthS: number
  readonly everyS: number
}

/**
 * OpenMetrics text that a collector exports about one node over more than 30 hours: a bad status for an hour after 5.5
 * hours, failures in the 11th hour, no collector in the 21st and 22nd, a stake that grows after a day, and a counter
 * that restarts after 30 hours.
 */
export function collectedText({ service, node, fromS, lengthS, everyS }: Collected): string {
  const lines: string[] = []
  const write = (
    name: string,
    type: string,
    labels: string,
    valueAt: (second: number) => number | undefined,
  ): void => {
    lines.push(`# TYPE ${name.replace(/_total$/, '')} ${type}`)
    for (let second = 0; second < lengthS; second += everyS) {
      const isAway = second >= 20 * HOUR_S && second < 22 * HOUR_S
      const value = isAway ? undefined : valueAt(second)
      if (value !== undefined)
        lines.push(`${name}{service="${service}",node="${node}"${labels}} ${value} ${fromS + second}`)
    }
  }
  const isFailing = (second: number) => second >= 10 * HOUR_S && second < 11 * HOUR_S
  const isBad = (second: number) => second >= 5.5 * HOUR_S && second < 6.5 * HOUR_S
  const answered = (value: (second: number) => number | undefined) => (second: number) =>
    isFailing(second) ? undefined : value(second)
  const counted = (second: number) => (second < 30 * HOUR_S ? second : second - 30 * HOUR_S) / everyS
  write('immune_node_up', 'gauge', '', (second) => (isFailing(second) ? 0 : 1))
  write('immune_node_failure', 'gauge', ',kind="timeout"', (second) => (isFailing(second) ? 1 : undefined))
  write(
    'immune_node_status',
    'gauge',
    ',status="ACTIVE"',
    answered(() => 1),
  )
  write(
    'immune_node_status_meaning',
    'gauge',
    ',state="ok"',
    answered((second) => (isBad(second) ? undefined : 1)),
  )
  write(
    'immune_node_stake_deployed',
    'gauge',
    '',
    answered((second) => (second < 24 * HOUR_S ? 1_250 : 1_300)),
  )
  write(
    'immune_node_network_participation_ratio',
    'gauge',
    '',
    answered((second) => (second === 5 * HOUR_S ? 0.5 : 0.97)),
  )
  write(
    'immune_node_answer_time_seconds',
    'gauge',
    '',
    answered(() => 0.25),
  )
  write(
    'immune_node_last_heartbeat_timestamp_seconds',
    'gauge',
    '',
    answered((second) => fromS + second - 12),
  )
  write('immune_node_threat_responses_total', 'counter', '', answered(counted))
  return `${lines.join('\n')}\n# EOF\n`
}
