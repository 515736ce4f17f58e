export type AlertingRule = {
  readonly alert: string
  readonly expr: string
  readonly for?: string
  readonly keep_firing_for?: string
  readonly labels: Readonly<Record<string, string>>
  readonly annotations: Readonly<Record<string, string>>
}

/** A duration as Prometheus reads it. */
export const seconds = (ms: number): string => `${Math.ceil(ms / 1_000)}s`

export const pascal = (text: string): string =>
  text.replace(/(?:^|[-\s])([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase())
