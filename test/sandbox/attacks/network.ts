import type { Attack } from './attack.ts';

/** Connects as plain TCP to a host, where a server with a secret waits. */
const visit = (host: string, port = 'secretPort') => `
  const socket = require('net').connect({ host: ${JSON.stringify(host)}, port: ${port} });
  let text = ''; for await (const piece of socket) text += piece; return text;`;

const spellings = {
  'this machine': '127.0.0.1',
  'this machine, short': '127.1',
  'this machine as one number': '2130706433',
  'this machine in hexadecimal': '0x7f000001',
  'this machine in octal': '0177.0.0.1',
  'this machine by name': 'localhost',
  'this machine as no address': '0.0.0.0',
  'this machine by IPv6': '::1',
  'this machine mapped into IPv6': '::ffff:127.0.0.1',
  'this machine mapped in hexadecimal': '::ffff:7f00:1',
  'this machine as no address of IPv6': '::',
  'this machine by a name of the attacker': 'loopback.attacker.example',
  'a name that has a public address as well': 'mixed.attacker.example',
  'a private network of class A': '10.0.0.1',
  'a private network of class B': '172.16.0.1',
  'a private network of class C': '192.168.0.1',
  'the network of a carrier': '100.64.0.1',
  'a network for benchmarks': '198.18.0.1',
  'the metadata of a cloud': '169.254.169.254',
  'the metadata of a cloud by IPv6': 'fd00:ec2::254',
  'the metadata of a cloud by name': 'metadata.attacker.example',
  'a neighbour by IPv6': 'fe80::1',
  'a unique local address': 'fc00::1',
  'an address translated to IPv6': '64:ff9b::7f00:1',
  'a group of machines': '224.0.0.1',
  'all machines': '255.255.255.255',
};

const addresses: Attack[] = Object.entries(spellings).map(([name, host]) => ({
  name: `connect to ${name}`,
  code: visit(host),
  outcome: /^error EGRESS_FORBIDDEN$/,
}));

/** Attacks on the way out. */
export const networkAttacks: readonly Attack[] = [
  ...addresses,
  {
    name: 'connect by fetch to this machine',
    code: 'return (await fetch("http://127.0.0.1:" + secretPort)).text();',
    outcome: /^error EGRESS_FORBIDDEN$/,
  },
  {
    name: 'connect with TLS to this machine',
    code: `return new Promise((_done, failed) => require('tls').connect({ host: '127.0.0.1', port: secretPort }).on('error', failed));`,
    outcome: /^error EGRESS_FORBIDDEN$/,
  },
  {
    name: 'be led to this machine by a redirect',
    code: `return (await fetch('http://redirect.attacker.example:' + publicPort)).text();`,
    outcome: /^error EGRESS_FORBIDDEN$/,
  },
  {
    name: 'rebind a name between two connections',
    code: `const ask = () => fetch('http://rebinding.attacker.example:' + publicPort + '/hello').then((r) => r.text(), (e) => e.cause.code);
      const first = await ask(); const others = new Set(); for (let at = 0; at < 4; at++) others.add(await ask()); return [first, ...others].join(' ');`,
    outcome: /^value public EGRESS_FORBIDDEN$/,
  },
  {
    name: 'ask the gateway itself for a connection',
    code: `const socket = require('net').connect('/run/egress.sock'); socket.write('connect 127.0.0.1 ' + secretPort + '\\n');
      let text = ''; for await (const piece of socket) text += piece; return text;`,
    outcome: /^value error EGRESS_FORBIDDEN /,
  },
  {
    name: 'hide a second request behind a line end',
    code: `return new Promise((_done, failed) => require('net').connect({ host: 'a 1\\nconnect 127.0.0.1', port: secretPort }).on('error', failed));`,
    outcome: /^error ENOTFOUND$/,
  },
  { name: 'connect to a name without end', code: visit('x'.repeat(100_000)), outcome: /^error ECONNRESET$/ },
  {
    name: 'connect to a port that is none',
    code: visit('203.0.113.1', '70000'),
    outcome: /^error E(INVAL|GRESS_FORBIDDEN)$/,
  },
  {
    name: 'send by UDP',
    code: `return new Promise((_done, failed) => require('dgram').createSocket('udp4').send('x', 53, '192.0.2.1', (error) => failed(error ?? new Error('sent'))));`,
    outcome: /^error E(NETUNREACH|ACCES|PERM)$/,
  },
  {
    name: 'ask a name server',
    code: `return (await require('dns').promises.resolve4('example.com'));`,
    outcome: /^error E(CONNREFUSED|TIMEOUT|SERVFAIL)$/,
  },
  {
    name: 'use the handle below a socket',
    code: `const server = require('net').createServer().listen(0, '0.0.0.0'); await require('events').once(server, 'listening');
      const handle = new server._handle.constructor(0); server.close(); return String(handle.bind('192.0.2.1', 80) !== 0);`,
    outcome: /^(value true|error E\w+)$/,
  },
  {
    name: 'open more connections than there may be',
    code: `const all = await Promise.all(Array.from({ length: 300 }, () => new Promise((done) =>
      require('net').connect(80, '10.0.0.1').on('error', ({ code }) => done(code)).on('connect', () => done('connected')))));
      return all.includes('connected') ? 'some' : 'none';`,
    outcome: /^value none$/,
  },
];
