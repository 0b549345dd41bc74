/** SQL that writes a moment as JSON has it, ISO 8601 in UTC with milliseconds. @param moment SQL of a `timestamptz` */
export const momentText = (moment: string): string =>
  `to_char(${moment} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`;
