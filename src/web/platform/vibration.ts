export const canVibrate = (): boolean => 'vibrate' in navigator

/** `pattern` alternates between vibration and pauses, in ms. Browsers ignore it before the first interaction. */
export function vibrate(pattern: readonly number[]): void {
  if (canVibrate() && navigator.userActivation.hasBeenActive) navigator.vibrate([...pattern])
}
