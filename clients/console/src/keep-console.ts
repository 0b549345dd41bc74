/**
 * Has the browser keep the console's own files, so that it opens while the gateway is away. Browsers do so for secure
 * addresses alone, and for this machine.
 */
export function keepConsole(): void {
  if (!('serviceWorker' in navigator)) return;
  // Without it the console works as it does, only not without a connection.
  navigator.serviceWorker.register('/console/service-worker.js', { scope: '/console' }).catch(() => undefined);
}
