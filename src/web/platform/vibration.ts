export const canVibrate = (): boolean => 'vibrate' in navigator

/** Milliseconds of shaking and stillness in turn. Browsers ignore it until somebody has touched the page. */
export function vibrate(pattern: readonly number[]): void {
  if (canVibrate() && navigator.userActivation.hasBeenActive) navigator.vibrate([...pattern])
}
