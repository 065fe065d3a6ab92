"""The notions that name a person by themselves; see :mod:`.words` for the others and the order in which they are read."""

from __future__ import annotations

from ..engines.table import Type
from .notion import Notion

CODES: frozenset[Type] = frozenset({"integer", "text"})

IDENTIFIERS: tuple[Notion, ...] = (
    Notion(
        "a person's name",
        "identifier",
        "full_name first_name last_name given_name middle_name family_name maiden_name surname* forename* fname lname "
        "nickname patient*_name pt_name ptnm pat_name patname person*_name client_name customer_name employee_name student_name "
        "subject_name respondent_name member_name participant_name resident_name child*_name mother*_name father*_name "
        "*patientenname* personenname* kundenname* mitarbeitername* teilnehmername* bewohnername* versichertenname* kindsname* "
        "schuelername* schulername* nom_patient nom_client nom_et_prenom nombre_paciente nombre_cliente nome_paziente "
        "nome_paciente patientnaam patienten_naam naam_patient vorname* nachname* familienname* zuname* prenom* nom_famille nom_de_famille "
        "nom_prenom apellido* nombre_apellido* primer_apellido cognome* nome_cognome voornaam* achternaam* familienaam "
        "birth_name geburtsname* nom_naissance nom_jeune_fille sobrenome* apelido* nome_completo nombre_completo initials "
        "initialen rufname",
        safe_harbor="A",
    ),
    Notion("an e-mail address", "identifier", "*email* e_mail mail mails correo courriel", safe_harbor="F"),
    Notion("a fax number", "identifier", "fax *telefax* faxnr faxnummer", safe_harbor="E"),
    Notion(
        "a telephone number",
        "identifier",
        "*phone* tel telnr *telefon* *telephone* mobile mobil* handy handyn* cellular movil celular cellulare portable gsm "
        "telemovel",
        safe_harbor="D",
    ),
    Notion(
        "a social security or national number",
        "identifier",
        "ssn social_security* nino national_insurance* national_id* *sozialversicherung* svnr ahv* nir insee "
        "securite_sociale numero_secu dni nif nie nss codice_fiscale cod_fisc codfisc bsn burgerservice* cpf rg_cpf tax_id "
        "steuer_id steuernummer steueridentifikation* passport* reisepass* passeport pasaporte passaporto paspoort*",
        safe_harbor="G",
    ),
    Notion(
        "a medical record number",
        "identifier",
        "mrn medical_record* chart_number chart_no pidnum patnum patid pat_id pat_nr pat_no ptid pt_id pt_no pt_num ptnum "
        "hospnum hosp_num hosp_no hospital_no hospital_num hospital_number hadm_id icustay_id stay_id encounter encounter_id "
        "encounter_n* encntr* accession* specimen_id sample_id sampleid barcode desynpuf_id bene_id claim_id clm_id admission_id nhs_number patient_no patient_nr patient_id patient_number "
        "patient_num patientnr patientennummer patienten_id patienten_nr fall_nr fallnummer num_patient no_patient "
        "numero_patient id_patient numero_paciente id_paciente num_paciente numero_paziente id_paziente patientnummer "
        "historia_clinica nhc cartella_clinica prontuario",
        types=CODES,
        safe_harbor="H",
    ),
    Notion(
        "a health plan number",
        "identifier",
        "health_plan* medicare* medicaid* beneficiary* insurance_n* insurance_id policy_n* member_id subscriber_id "
        "*versichertenn* kvnr krankenversicherungsn* mutuelle_n* poliza* polizza* polisnummer apolice",
        types=CODES,
        safe_harbor="I",
    ),
    Notion(
        "an account number",
        "identifier",
        "account account_n* account_id iban *kontonummer konto konto_nr numero_compte cuenta numero_cuenta "
        "conto_corrente rekeningnummer rekening conta_bancaria credit_card* card_number *kreditkart* tarjeta* cartao*",
        types=CODES,
        safe_harbor="J",
    ),
    Notion(
        "a vehicle's number",
        "identifier",
        "license_plate* licence_plate* number_plate* plate plate_n* vin vehicle_id* vehicle_identification* "
        "*kennzeichen fahrgestell* immatriculation* matricula targa kenteken* placa",
        types=CODES,
        safe_harbor="L",
    ),
    Notion(
        "a certificate or licence number",
        "identifier",
        "license* licence* certificate* fuehrerschein* fuhrerschein* permis permis_conduire permiso_conducir licencia* "
        "patente patente_guida licenza* rijbewijs* vergunning* licenca* carta_conducao zertifikat*",
        types=CODES,
        safe_harbor="K",
    ),
    Notion(
        "a device's number",
        "identifier",
        "device_id* device_s* device_n* serial serial_n* imei imsi udid mac_addr* macaddr* *seriennummer geraete_id "
        "geraetenummer numero_serie numero_de_serie serienummer numero_di_serie implant_id pacemaker_id",
        types=CODES,
        safe_harbor="M",
    ),
    Notion("an IP address", "identifier", "ip ip_addr* ipv ip_adress* adresse_ip direccion_ip", safe_harbor="O"),
    Notion(
        "a web address",
        "identifier",
        "url urls website* homepage* webseite* site_web sitio_web sito_web linkedin facebook twitter instagram user_name "
        "login benutzername nom_utilisateur usuario",
        types=CODES,
        safe_harbor="N",
    ),
    Notion(
        "a biometric",
        "identifier",
        "biometr* fingerprint* finger_print* voice_print* voiceprint* iris_scan retina* fingerabdr* empreinte* huella* "
        "impronta* vingerafdruk* impressao_digital",
        safe_harbor="P",
    ),
    Notion(
        "a photograph",
        "identifier",
        "photo* picture* portrait* selfie face_image* image image_file* foto* lichtbild* passbild* imagen imagem",
        safe_harbor="Q",
    ),
    Notion(
        "a street address",
        "identifier",
        "*address* addr *street* house_number *adresse* anschrift* *strasse* hausn* rue numero_rue calle direccion* "
        "domicilio indirizzo via_residenza adres* straat* *straatnaam huisnummer endereco* morada rua",
        safe_harbor="B",
    ),
)
