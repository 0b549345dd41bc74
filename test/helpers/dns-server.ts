import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { type Answer, AUTHORITATIVE_ANSWER, decode, encode, type Packet } from 'dns-packet';

/** What a name server says of one name, by the kind of record. */
export interface NameRecords {
  readonly TXT?: readonly string[];
  readonly CNAME?: string;
  readonly A?: readonly string[];
  readonly AAAA?: readonly string[];
  readonly MX?: readonly string[];
  /** Whether a zone begins here. */
  readonly SOA?: true;
}

export interface DnsServer {
  /** As `DNS_SERVERS` names it. */
  readonly address: string;
  /** Says something else of a name from now on; null: that there is no such name. */
  readonly set: (name: string, records: NameRecords | null) => void;
  /** While true, every question is answered by SERVFAIL. */
  fail: boolean;
  /** How many questions were asked about a name. */
  readonly asked: (name: string) => number;
  readonly stop: () => Promise<void>;
}

const notFound = 3;
const serverFailure = 2;

/** An authoritative name server on a port of its own, which speaks the protocol over UDP. */
export async function startDnsServer(): Promise<DnsServer> {
  const zone = new Map<string, NameRecords>();
  const counts = new Map<string, number>();
  const socket = createSocket('udp4');
  const state = { fail: false };
  socket.on('message', (bytes, peer) => {
    const asked = decode(bytes);
    const question = asked.questions![0]!;
    const name = question.name.toLowerCase();
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const records = zone.get(name);
    const code = state.fail ? serverFailure : records === undefined ? notFound : 0;
    const answers = code === 0 ? answersTo(zone, name, question.type) : [];
    const reply = {
      type: 'response',
      id: asked.id,
      flags: AUTHORITATIVE_ANSWER | code,
      questions: [question],
      answers,
    } satisfies Packet;
    socket.send(encode(reply), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    set: (name, records) => void (records === null ? zone.delete(name) : zone.set(name, records)),
    asked: (name) => counts.get(name) ?? 0,
    get fail() {
      return state.fail;
    },
    set fail(value) {
      state.fail = value;
    },
    stop: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

/** Follows aliases, as a resolver that clients ask does. */
function answersTo(zone: ReadonlyMap<string, NameRecords>, name: string, type: string): Answer[] {
  const records = zone.get(name) ?? {};
  const base = { name, ttl: 1 };
  if (records.CNAME !== undefined && type !== 'CNAME')
    return [{ ...base, type: 'CNAME', data: records.CNAME }, ...answersTo(zone, records.CNAME, type)];
  switch (type) {
    case 'TXT':
      // Longer texts stand in parts of 255 bytes.
      return (records.TXT ?? []).map((text) => ({ ...base, type: 'TXT', data: text.match(/.{1,255}/gs) ?? [''] }));
    case 'A':
    case 'AAAA':
      return (records[type] ?? []).map((data) => ({ ...base, type, data }));
    case 'MX':
      return (records.MX ?? []).map((exchange, at) => ({
        ...base,
        type: 'MX',
        data: { preference: 10 * (at + 1), exchange },
      }));
    case 'CNAME':
      return records.CNAME === undefined ? [] : [{ ...base, type: 'CNAME', data: records.CNAME }];
    case 'SOA':
      return records.SOA === true
        ? [{ ...base, type: 'SOA', data: { mname: `ns.${name}`, rname: `hostmaster.${name}` } }]
        : [];
    default:
      return [];
  }
}
