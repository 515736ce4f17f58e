/** What one would count by hand: each total from the one before, or from 0 where it is lower. The first adds nothing. */
export const counted = (totals: readonly bigint[]) =>
  totals.map((total, place) => {
    const before = totals[place - 1] ?? total
    return { increase: total < before ? total : total - before, restarted: total < before }
  })
