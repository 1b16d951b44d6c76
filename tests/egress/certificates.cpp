// By OpenSSL's C interface: two P-256 keys, the authority signs itself and the certificate.
#include "egress/certificates.hpp"

#include <arpa/inet.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <memory>
#include <stdexcept>

namespace test {
namespace {

using Key = std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)>;
using Certificate = std::unique_ptr<X509, decltype(&X509_free)>;

void extend(X509* certificate, X509* issuer, int number, std::string const& value) {
    X509V3_CTX context{};
    X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
    auto* const extension = X509V3_EXT_conf_nid(nullptr, &context, number, value.c_str());
    if (extension == nullptr) throw std::runtime_error("no certificate extension: " + value);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

Certificate unsigned_certificate(char const* name, EVP_PKEY* key, X509* issuer, long serial) {
    Certificate made(X509_new(), X509_free);
    X509_set_version(made.get(), 2);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), 86400);
    X509_set_pubkey(made.get(), key);
    X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_ASC,
                               reinterpret_cast<unsigned char const*>(name), -1, -1, 0);
    X509_set_issuer_name(made.get(), X509_get_subject_name(issuer != nullptr ? issuer : made.get()));
    return made;
}

template <class Write> std::string pem(Write const& write) {
    std::unique_ptr<BIO, decltype(&BIO_free)> const memory(BIO_new(BIO_s_mem()), BIO_free);
    if (write(memory.get()) != 1) throw std::runtime_error("no PEM");
    char* text = nullptr;
    auto const size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

std::string alternatives(std::vector<std::string> const& names) {
    std::string all;
    for (auto const& name : names) {
        unsigned char bytes[16];
        bool const address =
            ::inet_pton(AF_INET, name.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, name.c_str(), bytes) == 1;
        all += (all.empty() ? "" : ",") + std::string(address ? "IP:" : "DNS:") + name;
    }
    return all;
}

} // namespace

Certificates make_certificates(std::vector<std::string> const& names) {
    Key const authority_key(EVP_EC_gen("P-256"), EVP_PKEY_free), key(EVP_EC_gen("P-256"), EVP_PKEY_free);
    auto const authority = unsigned_certificate("pfar test authority", authority_key.get(), nullptr, 1);
    extend(authority.get(), authority.get(), NID_basic_constraints, "critical,CA:TRUE");
    extend(authority.get(), authority.get(), NID_key_usage, "critical,keyCertSign,cRLSign");
    extend(authority.get(), authority.get(), NID_subject_key_identifier, "hash");
    auto const leaf = unsigned_certificate("peer", key.get(), authority.get(), 2);
    extend(leaf.get(), authority.get(), NID_subject_alt_name, alternatives(names));
    if (X509_sign(authority.get(), authority_key.get(), EVP_sha256()) == 0 ||
        X509_sign(leaf.get(), authority_key.get(), EVP_sha256()) == 0)
        throw std::runtime_error("no signature");
    return {pem([&](BIO* out) { return PEM_write_bio_X509(out, authority.get()); }),
            pem([&](BIO* out) { return PEM_write_bio_X509(out, leaf.get()); }), pem([&](BIO* out) {
                return PEM_write_bio_PrivateKey(out, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
            })};
}

} // namespace test
