import { expect, test } from 'vitest';
import { headersForFunction, headersOfAnswer } from '../../../engines/functions/call-headers.ts';

test('a function sees the headers of its caller, but for those of the connection and those of the platform', () => {
  const raw = [
    ...['Accept', 'text/html', 'Connection', 'keep-alive, X-Hop', 'X-Hop', 'one', 'Transfer-Encoding', 'chunked'],
    ...['X-Svc-User-Id', 'forged', 'x-svc-payment-payer', 'forged', 'Cookie', 'a=1', 'Cookie', 'b=2'],
  ];
  expect(headersForFunction(raw, { 'x-svc-user-id': 'usr_1', 'x-svc-user-role': undefined })).toEqual([
    ['accept', 'text/html'],
    ['cookie', 'a=1'],
    ['cookie', 'b=2'],
    ['x-svc-user-id', 'usr_1'],
  ]);
});

test('an answer that says nothing of caches is kept by none', () => {
  const kept = headersOfAnswer([['Content-Type', 'text/plain']], { 'x-svc-request-id': 'req_1' });
  expect(kept).toEqual([
    ['Content-Type', 'text/plain'],
    ['cache-control', 'private, no-store'],
    ['x-svc-request-id', 'req_1'],
  ]);
});

test('an answer keeps what it says of caches and each of its cookies, and says nothing in the platform’s name', () => {
  const given = [
    ['Cache-Control', 'public, max-age=60'],
    ['Set-Cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['X-Svc-Request-Id', 'forged'],
    ['Connection', 'upgrade'],
    ['Upgrade', 'websocket'],
    ['Content-Length', '7'],
  ] as const;
  expect(headersOfAnswer(given, { 'x-svc-request-id': 'req_1' })).toEqual([
    ['Cache-Control', 'public, max-age=60'],
    ['Set-Cookie', 'a=1'],
    ['set-cookie', 'b=2'],
    ['x-svc-request-id', 'req_1'],
  ]);
});
