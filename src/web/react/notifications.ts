export { askForNotifications, notificationLeave, showNotification } from '#platform/notifications.ts'
