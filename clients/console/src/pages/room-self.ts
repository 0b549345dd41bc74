const keptKey = 'svc.console.session-key';
const keptName = 'svc.console.room-name';

/** Brings this tab back as the same presence after it was loaded anew. */
export function sessionKey(): string {
  let key = sessionStorage.getItem(keptKey);
  if (key === null) sessionStorage.setItem(keptKey, (key = `console-${crypto.randomUUID()}`));
  return key;
}

/** The name that a presence of this browser asks for. */
export const wantedName = (): string => localStorage.getItem(keptName) ?? 'console';

export const wantName = (name: string): void => localStorage.setItem(keptName, name);
