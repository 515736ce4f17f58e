export { gatherFile, printPage, saveFile, savePng } from '#platform/save-file.ts'

export { noteChoice, recentChoices } from '#platform/recent-choices.ts'

export { canVibrate } from '#platform/vibration.ts'

export { askForNotifications, permissionToNotify, showNotification } from '#platform/notifications.ts'

export { keepCopy, keptCopies, removeCopy, undoSteps } from '#platform/kept-settings.ts'

export { askToPersist, isPersistent, keepsSettings } from '#platform/storage-persistence.ts'

export { canUsePasskeys, createPasskey } from '#platform/passkey.ts'

export { systemClock } from '#platform/system-clock.ts'

export { keepAwake, type WakeState } from '#platform/wake-lock.ts'
