import { keep, recall } from '../kept.ts';

const keptKey = 'svc.console.session-key';
const keptName = 'svc.console.room-name';

/** Brings this tab back as the same presence after it was loaded anew. */
export function sessionKey(): string {
  let key = recall(keptKey, 'session');
  if (key === null) keep(keptKey, (key = `console-${crypto.randomUUID()}`), 'session');
  return key;
}

/** The name that a presence of this browser asks for. */
export const wantedName = (): string => recall(keptName) ?? 'console';

export const wantName = (name: string): void => keep(keptName, name);
