import { currentCall } from './current-call.ts';

/**
 * Gives a function its environment, in the place of the one the process was started with. `SVC_REQUEST_ID` is the one of
 * the call that reads it.
 */
export function setEnvironment(variables: Readonly<Record<string, string>>, tmp: string): void {
  for (const name of Object.keys(process.env)) delete process.env[name];
  Object.assign(process.env, variables, { HOME: tmp, TMPDIR: tmp, NODE_ENV: variables.NODE_ENV ?? 'production' });
  process.env = new Proxy(process.env, {
    get: (target, name) => (name === 'SVC_REQUEST_ID' ? currentCall()?.requestId : Reflect.get(target, name)),
  });
}
