/** Requests and a certificate, made once with the usual tool; the keys are thrown away. */

const pem = (label: string, body: string): string =>
  `-----BEGIN ${label}-----\n${body.replaceAll(' ', '\n')}\n-----END ${label}-----\n`

/** The base64 of a text, as bytes stand in JSON. */
export const base64 = (text: string): string => Buffer.from(text).toString('base64')

const request = (body: string): string => pem('CERTIFICATE REQUEST', body)

/** PEM of a request of `jane` in the organizations `system:masters` and `dev`, with an EC key. */
export const ecRequest = request(
  'MIHxMIGYAgEAMDYxDTALBgNVBAMMBGphbmUxFzAVBgNVBAoMDnN5c3RlbTptYXN0 ZXJzMQwwCgYDVQQKDANkZXYwWTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAAT2b940 ZyIOD2KQORUZ/27GMKa8oM4m9RZFpTe7TZ/tbVW641Kcv91BJhrj49000f5r9j/d d8GQ+pVYe6Z2oypcoAAwCgYIKoZIzj0EAwIDSAAwRQIgY15X1UQvh7fDc91AkcHE 1QTAqBUyertvtM78B1dX7uQCIQDnj/MIuXXnc8AC8iSXAVp25D+fvZyezZBEhifS ifN9oQ==',
)

/** PEM of a request with an Ed25519 key. */
export const edRequest = request(
  'MIGMMEACAQAwDTELMAkGA1UEAwwCZWQwKjAFBgMrZXADIQAIY2Zb/WKOQ8MIHULS +B53oghiaYjWwea2YrSonJiFMKAAMAUGAytlcANBAMus5Ct2FD+tEFnJUm4FD7BL WpDPCAS2YGM3+zZiNo3w8blnOmAkdV331//FnrpvRnQcFCUVbyuIKaCjyCsF0QM=',
)

/** PEM of a request with an RSA key. */
export const rsaRequest = request(
  'MIICUzCCATsCAQAwDjEMMAoGA1UEAwwDcnNhMIIBIjANBgkqhkiG9w0BAQEFAAOC AQ8AMIIBCgKCAQEAocA0hRWZW5VHOzCGWe92rE53PPl+d23AwTBNyibJWtMR1V8M 1FjazmvWTSN53J0T0VjOSCsW26Yqs9/0Xxvicvb74brKSkbtRy3v4BfH1T+BiG/H A0IV2MNSh7gg77rGbPCYfgGdJa8HLxox5AJtyFP1RhrOL318FKkremS5g/M+sATG qONAZ0wWhQ7KYAu62UkmQoRxTYKnBFpEdu4fMGNZYrhJM8Ksdq98KdqLobDOlGDe vhC0KdP6GYFIijLfOr05iRAbclDUteMrsoFZVLTSuRKPJ9rPy7O2JVAXSq/7uODD d4WQmaJgR+/1qQuNGfR/0xrPL+QNvKwiLHQ6gQIDAQABoAAwDQYJKoZIhvcNAQEL BQADggEBAC/ZBKjh6l4bG51ZwMvonxu7IyveTd9sDLKFh2KQXkbckWymEGaTVHze tZIWuVY9rqdvxr75DVMBPb4BOieADwA2Th1vWukMjOXNsxMcPAFHWu1xSWtksa/p Lwly4BcKN7zFBsTvIavOg92VqpD4N4CTAKRqfgq0GUmfyizkN8uJsi3027PFr49i Gm5MgeFltjmlubsRNmvFHTxyLbrc3HIMWhTtifL6xNARAZOahi4eq7/Wglpq9lEx bwKgJrbbHapY9BKGCWeAq+oipKIJnlB1Qek8+AIhsShfHlMlUYZqR5A6clZv0AUy 31J8Up4j8UXBzOr6h9v45PTGBC33qyI=',
)

/** PEM of a request with an RSA key, signed in the newer way (PSS). */
export const pssRequest = request(
  'MIIChzCCATsCAQAwDjEMMAoGA1UEAwwDcHNzMIIBIjANBgkqhkiG9w0BAQEFAAOC AQ8AMIIBCgKCAQEAocA0hRWZW5VHOzCGWe92rE53PPl+d23AwTBNyibJWtMR1V8M 1FjazmvWTSN53J0T0VjOSCsW26Yqs9/0Xxvicvb74brKSkbtRy3v4BfH1T+BiG/H A0IV2MNSh7gg77rGbPCYfgGdJa8HLxox5AJtyFP1RhrOL318FKkremS5g/M+sATG qONAZ0wWhQ7KYAu62UkmQoRxTYKnBFpEdu4fMGNZYrhJM8Ksdq98KdqLobDOlGDe vhC0KdP6GYFIijLfOr05iRAbclDUteMrsoFZVLTSuRKPJ9rPy7O2JVAXSq/7uODD d4WQmaJgR+/1qQuNGfR/0xrPL+QNvKwiLHQ6gQIDAQABoAAwQQYJKoZIhvcNAQEK MDSgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEF AKIDAgEgA4IBAQCdb9rV9bFCGLzrNspINRcPHb+Cbs9avog4gxekdJp2q32Y3C0F lq2dr5T7TwMS/CEfSbH1UlIBCR/n+lo3VyGY9ld70mJwE0NKA8w7fpHqxwlmRFsr 1vg5goWsjPEjpSfr8tKm74Ft7WgntJHZdjkuhzhps4O46t90iR7LAx4JnGQVLWZV 0KRkmJmk0BS/otpakohPmZmJoxI3L9f3lTd3xUd1+A5udIZoKish0pbBhtdy+noM qJ47AW/y1W1Lc/qZoC4GHM5NDU0AU3TujMjYLzheEu3J7J0gRvf9pqWULFrsFkj0 v2g4ehysPf3cPqGc5+2elEVYecTHmrcqMBAK',
)

/** PEM of a request that is signed in a way that is no longer safe. */
export const md5Request = request(
  'MIICUzCCATsCAQAwDjEMMAoGA1UEAwwDbWQ1MIIBIjANBgkqhkiG9w0BAQEFAAOC AQ8AMIIBCgKCAQEAocA0hRWZW5VHOzCGWe92rE53PPl+d23AwTBNyibJWtMR1V8M 1FjazmvWTSN53J0T0VjOSCsW26Yqs9/0Xxvicvb74brKSkbtRy3v4BfH1T+BiG/H A0IV2MNSh7gg77rGbPCYfgGdJa8HLxox5AJtyFP1RhrOL318FKkremS5g/M+sATG qONAZ0wWhQ7KYAu62UkmQoRxTYKnBFpEdu4fMGNZYrhJM8Ksdq98KdqLobDOlGDe vhC0KdP6GYFIijLfOr05iRAbclDUteMrsoFZVLTSuRKPJ9rPy7O2JVAXSq/7uODD d4WQmaJgR+/1qQuNGfR/0xrPL+QNvKwiLHQ6gQIDAQABoAAwDQYJKoZIhvcNAQEE BQADggEBAB5CcMuI7fiRGQ3O7Tehym79WL21Wa24EwnoMnjgyMonYiL8D4AHuaOi ocmU2SDJ1VL+KjqBAvLDB9Ojki/7xErgKTmAyRxO9EBidVLpsNEI6sjP/JVFuEZi FpaUvyNBGMgIkddcmknnvdTjbRDflvdhhpXZYiz4wsJFyCyDZ1TJd+0x/CTmhI5o OZHIqCEbPTYEVJsrNEru45zLQO0iLKaLvQQ3uHXf+se13/PLcVOHdzDQXChiZPKE yPvCnYUG3VLIR1KRqmcWiTEz/7BxFeZ6pWQOaTrBJ3Q20ddA5KjPOD7Jo6BdyqFN AsvWaYGLo4sHVhdZXD7KFAqaszaxoyE=',
)

/** PEM of a certificate. */
export const certificate = pem(
  'CERTIFICATE',
  'MIIBdjCCARugAwIBAgIUFsuXrqFTqfXi3KxptYgHcz7dVQgwCgYIKoZIzj0EAwIw DzENMAsGA1UEAwwEY2VydDAgFw0yNjExMjEwOTQzNTRaGA8yMTI2MTAyODA5NDM1 NFowDzENMAsGA1UEAwwEY2VydDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPZv 3jRnIg4PYpA5FRn/bsYwprygzib1FkWlN7tNn+1tVbrjUpy/3UEmGuPj3TTR/mv2 P913wZD6lVh7pnajKlyjUzBRMB0GA1UdDgQWBBRpwA32czKrVcOV0l8JsatFjHtG QzAfBgNVHSMEGDAWgBRpwA32czKrVcOV0l8JsatFjHtGQzAPBgNVHRMBAf8EBTAD AQH/MAoGCCqGSM49BAMCA0kAMEYCIQCF12rEnXZXSxnUIpqJ9KeWWt8es3ydB9q+ SH34dqIBFQIhAILw+7krAGTKvlXovR4IZPkNv77ncjJMxfpyMyj2cEgU',
)
