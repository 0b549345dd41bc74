import { parseCron } from '../cron.ts';
import { invalid } from '../errors.ts';
import type { FunctionTrigger } from '../model.ts';
import { data, distinct, integer, type Json, list, object, oneOf, optional, type Read, text } from './fields.ts';

/** Triggers that a function may have. */
const triggersMax = 100;
/** Longest pause between two attempts of a run, in seconds. */
const delayMax = 86_400;

/** A schedule of five fields that comes due at some time. */
export const cron: Read<string> = (value, at) => {
  const found = text(200)(value, at).trim().split(/ +/).join(' ');
  if (parseCron(found) === undefined) throw invalid(at, 'must be a cron expression of five fields that comes due');
  return found;
};

/** Zones that were met, in whatever spelling: to ask for one takes a tenth of a millisecond. */
const zones = new Set<string>();
const zonesMax = 10_000;

function isZone(name: string): boolean {
  // What begins with a sign is an offset, which is no zone.
  if (zones.has(name) || !/^[A-Za-z]/.test(name)) return zones.has(name);
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
  } catch {
    return false;
  }
  if (zones.size < zonesMax) zones.add(name);
  return true;
}

const zone: Read<string> = (value, at) => {
  const name = text(64)(value, at);
  if (isZone(name)) return name;
  throw invalid(at, 'must be a time zone, for example Europe/Berlin');
};

/** Contract 03, section 3.6. */
const retry: Read<Json> = (value, at) => {
  const given = object(value, at, ['preset', 'max_attempts', 'min_delay_seconds', 'max_delay_seconds']);
  optional(oneOf('standard'))(given.preset, `${at}.preset`);
  optional(integer(1, 20))(given.max_attempts, `${at}.max_attempts`);
  optional(integer(0, delayMax))(given.min_delay_seconds, `${at}.min_delay_seconds`);
  optional(integer(0, delayMax))(given.max_delay_seconds, `${at}.max_delay_seconds`);
  return { preset: 'standard', ...given };
};

const run: Read<FunctionTrigger['run']> = (value, at) => {
  const given = object(value, at, ['event_type', 'payload', 'retry', 'expires_after_seconds']);
  const again = optional(retry)(given.retry, `${at}.retry`);
  const expires = optional(integer(1, 2 ** 31))(given.expires_after_seconds, `${at}.expires_after_seconds`);
  return {
    eventType: text(128)(given.event_type, `${at}.event_type`),
    payload: optional(data(65_536))(given.payload, `${at}.payload`) ?? {},
    ...(again === undefined ? {} : { retry: again }),
    ...(expires === undefined ? {} : { expiresAfterSeconds: expires }),
  };
};

const mailEvents = oneOf('reply_received', 'delivery', 'bounced', 'complained', 'mailbox_suspended');

const trigger: Read<FunctionTrigger> = (value, at) => {
  const type = oneOf('schedule', 'email')((value as Json | undefined)?.type, `${at}.type`);
  const own = type === 'schedule' ? ['cron', 'timezone', 'misfire_policy', 'overlap_policy'] : ['mailbox', 'events'];
  const given = object(value, at, ['id', 'type', 'run', ...own]);
  const common = { id: text(128)(given.id, `${at}.id`), type, run: run(given.run, `${at}.run`) };
  if (type === 'email')
    return {
      ...common,
      mailbox: text(320)(given.mailbox, `${at}.mailbox`),
      events: distinct(list(mailEvents, { min: 1, max: 5 }))(given.events, `${at}.events`).sort(),
    };
  optional(oneOf('skip'))(given.misfire_policy, `${at}.misfire_policy`);
  optional(oneOf('allow'))(given.overlap_policy, `${at}.overlap_policy`);
  return {
    ...common,
    cron: cron(given.cron, `${at}.cron`),
    timezone: optional(zone)(given.timezone, `${at}.timezone`) ?? 'UTC',
  };
};

/** Contract 03, section 2.11.6: by id. */
export const triggers: Read<FunctionTrigger[]> = (value, at) => {
  const found = list(trigger, { max: triggersMax })(value, at);
  const ids = new Set<string>();
  for (const [place, { id }] of found.entries()) {
    if (ids.has(id)) throw invalid(`${at}.${place}.id`, 'is there twice', { id });
    ids.add(id);
  }
  return found.sort((a, b) => (a.id < b.id ? -1 : 1));
};
