/** What a mail server says of one recipient. RFC 3464, section 2.3. */
export interface DeliveryStatus {
  readonly action: string;
  /** For example `5.1.1`; null where none is given that is one. */
  readonly status: string | null;
  /** Addresses that it is about, in lower case: as it was sent on, and as it was given. */
  readonly recipients: readonly string[];
  /** What the server said; null where it is not told. */
  readonly diagnostic: string | null;
}

/** What is known of the mail that a report is about. */
export interface ReportedMail {
  /** `Message-ID`, without its brackets. */
  readonly messageId: string | null;
  /** Addresses that it went back to, in lower case. */
  readonly returnPaths: readonly string[];
}

/** A mail that a server sends of another mail. */
export type MailReport =
  | { readonly kind: 'delivery'; readonly recipients: readonly DeliveryStatus[]; readonly about: ReportedMail }
  | { readonly kind: 'feedback'; readonly type: string; readonly about: ReportedMail };

/** Recipients that one report is read of. */
const recipientsMax = 100;
const groupsMax = recipientsMax + 1;
/** Of a report, or of the headers of the mail that it is about, in characters. */
const readMax = 64 * 1024;

type Fields = ReadonlyMap<string, string>;

/** Groups of header fields, with blank lines in between: names in lower case, the first of each. */
function fieldGroups(text: string, most: number): Fields[] {
  const groups: Map<string, string>[] = [];
  let group: Map<string, string> | undefined;
  let name: string | undefined;
  for (const line of text.slice(0, readMax).split(/\r?\n/)) {
    if (line.trim() === '') {
      group = undefined;
      name = undefined;
      continue;
    }
    if (/^[ \t]/.test(line)) {
      if (group !== undefined && name !== undefined) group.set(name, `${group.get(name)} ${line.trim()}`);
      continue;
    }
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    if (group === undefined) {
      if (groups.length === most) break;
      groups.push((group = new Map()));
    }
    const found = line.slice(0, colon).trim().toLowerCase();
    name = group.has(found) ? undefined : found;
    if (name !== undefined) group.set(name, line.slice(colon + 1).trim());
  }
  return groups;
}

/** `rfc822; Ada@Example.com` as an address in lower case. */
function addressIn(value: string | undefined): string | undefined {
  const plain = value
    ?.replace(/^[^;]*;/, '')
    .replaceAll(/[<>\s]/g, '')
    .toLowerCase();
  return plain === '' ? undefined : plain;
}

const present = <Value>(values: readonly (Value | undefined)[]): Value[] =>
  values.filter((value): value is Value => value !== undefined);

function aboutOf(headers: Fields, more: readonly (string | undefined)[]): ReportedMail {
  return {
    messageId: /<([^<>\s]{1,998})>/.exec(headers.get('message-id') ?? '')?.[1] ?? null,
    returnPaths: present([addressIn(headers.get('return-path')), ...more]),
  };
}

/**
 * What a delivery status says, recipient by recipient. A field that is absent stays unknown.
 *
 * @param text of the part `message/delivery-status`
 * @param original what the report has of the mail that it is about
 */
export function deliveryReport(text: string, original: string): MailReport {
  const groups = fieldGroups(text, groupsMax);
  // The first group is of the report as a whole, and may be missing.
  const recipients = groups
    .filter((group) => group.has('action'))
    .slice(0, recipientsMax)
    .map(
      (group): DeliveryStatus => ({
        action: group.get('action')!.toLowerCase(),
        status: /^[245]\.\d{1,3}\.\d{1,3}/.exec(group.get('status') ?? '')?.[0] ?? null,
        recipients: present([addressIn(group.get('final-recipient')), addressIn(group.get('original-recipient'))]),
        diagnostic:
          group
            .get('diagnostic-code')
            ?.replace(/^[^;]{1,20};/, '')
            .trim() ?? null,
      }),
    );
  return { kind: 'delivery', recipients, about: aboutOf(fieldGroups(original, 1)[0] ?? new Map(), []) };
}

/** What a recipient's server tells of a mail that the recipient did not want. RFC 5965. */
export function feedbackReport(text: string, original: string): MailReport {
  const [fields = new Map<string, string>()] = fieldGroups(text, 1);
  return {
    kind: 'feedback',
    type: (fields.get('feedback-type') ?? '').toLowerCase(),
    about: aboutOf(fieldGroups(original, 1)[0] ?? new Map(), [addressIn(fields.get('original-mail-from'))]),
  };
}
