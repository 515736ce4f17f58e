/** The model: each total counts from the previous one, or from 0 if it is lower. The first one adds nothing. */
export const counted = (totals: readonly bigint[]) =>
  totals.map((total, place) => {
    const before = totals[place - 1] ?? total
    return { increase: total < before ? total : total - before, restarted: total < before }
  })
