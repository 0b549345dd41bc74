/** A schedule of five fields: what each of them selects, in order. */
export interface Cron {
  readonly minutes: readonly number[];
  readonly hours: readonly number[];
  readonly days: readonly number[];
  readonly months: readonly number[];
  /** Sunday is 0. */
  readonly weekdays: readonly number[];
  /** Both days of the month and weekdays are narrowed: a day of either is meant then. */
  readonly isEither: boolean;
}

const monthNames = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const dayNames = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

interface Field {
  readonly least: number;
  readonly most: number;
  /** Words for numbers from `least` on. */
  readonly names?: readonly string[];
}

const minute: Field = { least: 0, most: 59 };
const hour: Field = { least: 0, most: 23 };
const dayOfMonth: Field = { least: 1, most: 31 };
const month: Field = { least: 1, most: 12, names: monthNames };
/** Sunday is 0 and 7. */
const weekday: Field = { least: 0, most: 7, names: dayNames };

/** Longest text of a schedule. */
const cronMax = 200;

/** Reads a schedule; undefined when it is none, or never comes due. */
export function parseCron(text: string): Cron | undefined {
  if (text.length > cronMax) return undefined;
  const fields = text.trim().split(/[ \t]+/);
  if (fields.length !== 5) return undefined;
  const kinds = [minute, hour, dayOfMonth, month, weekday];
  const [minutes, hours, days, months, given] = fields.map((field, index) => fieldOf(field, kinds[index]!));
  if (!minutes || !hours || !days || !months || !given) return undefined;
  const weekdays = [...new Set(given.map((one) => one % 7))].sort((a, b) => a - b);
  const isEither = fields[2] !== '*' && fields[4] !== '*';
  // The thirtieth of February, and the like.
  const comesDue = isEither || months.some((one) => days[0]! <= monthLengths[one - 1]!);
  return comesDue ? { minutes, hours, days, months, weekdays, isEither } : undefined;
}

function fieldOf(text: string, field: Field): readonly number[] | undefined {
  const selected = new Set<number>();
  for (const part of text.split(',')) {
    const [, from, to, step] = /^(\*|[0-9a-z]+)(?:-([0-9a-z]+))?(?:\/([0-9]+))?$/i.exec(part) ?? [];
    if (from === undefined || (from === '*' && to !== undefined)) return undefined;
    const first = from === '*' ? field.least : numberOf(from, field);
    // One value with a step runs on to the end.
    const last = to !== undefined ? numberOf(to, field) : from === '*' || step !== undefined ? field.most : first;
    const by = step === undefined ? 1 : Number(step);
    if (first === undefined || last === undefined || first > last || by < 1) return undefined;
    for (let value = first; value <= last; value += by) selected.add(value);
  }
  return [...selected].sort((a, b) => a - b);
}

function numberOf(text: string, { least, most, names = [] }: Field): number | undefined {
  const named = names.indexOf(text.toLowerCase());
  const value = named >= 0 ? least + named : /^[0-9]{1,2}$/.test(text) ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : undefined;
}

/** In leap years. */
const monthLengths = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

/** Whether two days in a row may be selected: over the years each date falls on each day of the week. */
function hasNeighbours({ days, months, weekdays, isEither }: Cron): boolean {
  if (isEither) return true;
  if (!weekdays.some((one) => weekdays.includes((one + 1) % 7))) return false;
  const isSelected = (day: number, of: number) => days.includes(day) && months.includes(((of - 1) % 12) + 1);
  return months.some((of) =>
    days.some((day) => {
      const length = monthLengths[of - 1]!;
      const isLast = day === length || (of === 2 && day === 28);
      return day <= length && ((day < length && isSelected(day + 1, of)) || (isLast && isSelected(1, of + 1)));
    }),
  );
}

const gapsOf = (numbers: readonly number[]): number[] => numbers.slice(1).map((one, at) => one - numbers[at]!);

/** Shortest time between two runs of a schedule, in minutes; more than a day is a day. Changes of clocks do not count. */
export function shortestInterval(cron: Cron): number {
  const { minutes, hours } = cron;
  // From the last minute of an hour to the first of a later one.
  const rest = minutes[0]! - minutes.at(-1)!;
  const overnight = hasNeighbours(cron) ? [(24 - hours.at(-1)! + hours[0]!) * 60 + rest] : [];
  return Math.min(1_440, ...gapsOf(minutes), ...gapsOf(hours).map((gap) => gap * 60 + rest), ...overnight);
}
